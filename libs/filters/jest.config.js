export default {
  displayName: 'filters',
  preset: '../../jest.preset.js',
};
