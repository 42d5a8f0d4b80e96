export default {
  displayName: 'data-client',
  preset: '../../jest.preset.js',
};
