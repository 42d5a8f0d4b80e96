import { describe, expect, it } from '@jest/globals';
import { RouteTable } from './route-table.js';

describe('RouteTable', () => {
  const table = new RouteTable();
  table.add(['GET', 'HEAD'], '/items/:id');
  table.add(['DELETE'], '/items/:id');
  table.add(['POST'], '/items');
  table.add(['GET'], '/files/*');
  table.add(['GET'], '/.well-known/openid-configuration');
  table.add(['GET'], '/numbers/:number(\\d+)');
  table.add(['GET'], '/');

  it('lists every route once, without HEAD', () => {
    expect(table.list()).toEqual([
      'DELETE /items/:id',
      'GET /',
      'GET /.well-known/openid-configuration',
      'GET /files/*',
      'GET /items/:id',
      'GET /numbers/:number(\\d+)',
      'POST /items',
    ]);
  });

  it.each([
    ['/items/1?x=/a', ['DELETE', 'GET', 'HEAD']],
    ['/items', ['POST']],
    ['/items/', ['POST']],
    ['/items/1/2', []],
    ['/files/a/b', ['GET']],
    ['/.well-known/openid-configuration', ['GET']],
    ['/xwell-known/openid-configuration', []],
    ['/numbers/12', ['GET']],
    ['/numbers/x', []],
    ['/', ['GET']],
    ['/other', []],
  ])('the path %s answers %j', (path, methods) => {
    expect(table.methodsOf(path)).toEqual(methods);
  });
});
