export default {
  displayName: 'interactions',
  preset: '../../jest.preset.js',
};
