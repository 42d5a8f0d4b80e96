export default {
  displayName: 'coordinator',
  preset: '../../jest.preset.js',
};
