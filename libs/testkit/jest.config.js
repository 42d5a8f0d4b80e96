export default {
  displayName: 'testkit',
  preset: '../../jest.preset.js',
};
