export default {
  displayName: 'graphql-gateway',
  preset: '../../jest.preset.js',
};
