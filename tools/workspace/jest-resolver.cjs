// TypeScript sources import './x.js' as Node's ESM asks; Jest reads the sources, so map it to './x.ts'.
// Only outside node_modules: packages there really have the .js file.
module.exports = (request, options) => {
  if (/^\.{1,2}\//.test(request) && request.endsWith('.js') && !options.basedir.includes('/node_modules/')) {
    try {
      return options.defaultResolver(request.replace(/\.js$/, '.ts'), options);
    } catch {
      // A real .js file (a generated one): fall through to the default.
    }
  }
  return options.defaultResolver(request, options);
};
