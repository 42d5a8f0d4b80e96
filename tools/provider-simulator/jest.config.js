export default {
  displayName: 'provider-simulator',
  preset: '../../jest.preset.js',
};
