export default {
  displayName: 'scraping-provider',
  preset: '../../jest.preset.js',
};
