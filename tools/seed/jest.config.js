export default {
  displayName: 'seed',
  preset: '../../jest.preset.js',
};
