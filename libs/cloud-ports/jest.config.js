export default {
  displayName: 'cloud-ports',
  preset: '../../jest.preset.js',
};
