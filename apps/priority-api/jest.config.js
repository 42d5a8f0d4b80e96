export default {
  displayName: 'priority-api',
  preset: '../../jest.preset.js',
};
