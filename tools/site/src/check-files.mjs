const PAGES = ['index.html', '404.html'];
const SERVED = /\.(css|html|js|json|png|svg)$/;

/**
 * @param files all files of the site
 * @returns a line for each missing page and each file of a type that is not served
 */
export function checkFiles(files) {
  const missing = PAGES.filter((page) => !files.includes(page)).map((page) => `${page} is missing`);
  const unknown = files.filter((file) => !SERVED.test(file)).map((file) => `${file} is of a type that is not served`);
  return [...missing, ...unknown];
}
