import { ApifyRunProvider } from './run-provider.apify.js';
import { HttpProfileProvider } from './profile-provider.http.js';
import type { ProfileProvider } from './profile-provider.port.js';
import type { ProviderSettings } from './provider-settings.js';
import type { RunProvider } from './run-provider.port.js';

export function createRunProvider(settings: ProviderSettings): RunProvider {
  return new ApifyRunProvider(settings);
}

export function createProfileProvider(settings: ProviderSettings): ProfileProvider {
  return new HttpProfileProvider(settings);
}
