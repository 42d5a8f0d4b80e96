export default {
  displayName: 'filter-engine',
  preset: '../../jest.preset.js',
};
