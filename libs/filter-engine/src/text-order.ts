/** Whether the current database has texts in the order of their bytes, as the engines do. */
export const sortsTextsByBytesSql = `(
  select datlocprovider = 'b' or (datlocprovider = 'c' and datcollate in ('C', 'POSIX', 'C.UTF-8', 'C.utf8'))
  from pg_database where datname = current_database())`;
