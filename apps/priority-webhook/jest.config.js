export default {
  displayName: 'priority-webhook',
  preset: '../../jest.preset.js',
};
