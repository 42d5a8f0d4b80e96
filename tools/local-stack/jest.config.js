export default {
  displayName: 'local-stack',
  preset: '../../jest.preset.js',
};
