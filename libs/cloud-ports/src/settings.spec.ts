import { describe, expect, it } from '@jest/globals';
import { queueSettings, requiredSetting, warehouseSettings } from './settings.js';

describe('settings of the ports', () => {
  it('refuse unknown words and numbers out of range', () => {
    expect(() => warehouseSettings.CLOUD.parse('azure')).toThrow('must be one of embedded, google, not "azure"');
    expect(warehouseSettings.CLOUD.parse('google')).toBe('google');
    const { parse } = queueSettings.QUEUE_MAX_DELIVERY_ATTEMPTS;
    for (const bad of ['7.5', '', 'many']) expect(() => parse(bad)).toThrow('must be an integer');
    expect(() => parse('4')).toThrow('must be at least 5');
    expect(() => parse('101')).toThrow('must be at most 100');
    expect(parse('100')).toBe(100);
    expect(() => queueSettings.PUSH_ENDPOINT.parse('priority-api')).toThrow('must be an absolute URL');
  });

  it('keep the slash at the end of an endpoint, which is part of the path', () => {
    const endpoint = 'https://priority-api.example.com/batch-trigger/';
    expect(queueSettings.PUSH_ENDPOINT.parse(endpoint)).toBe(endpoint);
  });

  it('are required for the chosen cloud only', () => {
    expect(warehouseSettings.WAREHOUSE_DATABASE_URL.requiredWhen?.({ CLOUD: 'embedded' })).toBe(true);
    expect(warehouseSettings.WAREHOUSE_DATABASE_URL.requiredWhen?.({ CLOUD: 'google' })).toBe(false);
    expect(warehouseSettings.GOOGLE_CLOUD_PROJECT.requiredWhen?.({ CLOUD: 'google' })).toBe(true);
    const settings = { CLOUD: 'google' as const, GOOGLE_CLOUD_PROJECT: undefined };
    expect(() => requiredSetting(settings, 'GOOGLE_CLOUD_PROJECT')).toThrow('CLOUD=google needs it');
  });

  it('refuse an emulator in production', () => {
    expect(warehouseSettings.BIGQUERY_API_ENDPOINT.productionRule?.('http://127.0.0.1:9050')).toMatch(
      'must not be set',
    );
  });
});
