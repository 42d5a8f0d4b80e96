export default {
  displayName: 'shared-types',
  preset: '../../jest.preset.js',
};
