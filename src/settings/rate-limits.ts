/** Rate limits, one per class of endpoint, as REQUESTS/SECONDS (OP-19). */
import type { RateClass } from '../modules/access/index.ts'
import { type RateLimit, rateLimit, type Setting } from '../platform/settings.ts'

type RateLimitSettings = { [Class in RateClass as `rate_limit_${Class}`]: Setting<RateLimit> }

export const RATE_LIMIT_SETTINGS = {
  rate_limit_check: rateLimit('20000/10', { help: 'Checks per organization' }),
  rate_limit_order: rateLimit('20000/10', { help: 'Orders per organization' }),
  rate_limit_profile: rateLimit('20000/10', { help: 'Profile upserts per organization' }),
  rate_limit_cashier: rateLimit('20000/10', { help: 'Cashier actions per organization' }),
  rate_limit_ingest: rateLimit('20000/10', {
    help: 'Log batches, device registrations and heartbeats per organization',
  }),
  rate_limit_rum: rateLimit('6000/10', {
    help: 'RUM events per public key, or per organization for secret keys. A batch counts as its number of events, or as its size in KB if that is more',
  }),
  rate_limit_rum_network: rateLimit('3000/10', {
    help: 'RUM events per organization and client network, with public keys',
  }),
  rate_limit_push: rateLimit('2000/10', {
    help: 'Push messages and identity tokens per organization',
  }),
  rate_limit_push_sdk: rateLimit('20000/10', {
    help: 'Requests of apps for push per public key',
  }),
  rate_limit_push_sdk_network: rateLimit('3000/10', {
    help: 'Requests of apps for push per organization and client network',
  }),
  rate_limit_push_sdk_subscription: rateLimit('60/60', {
    help: 'Requests of apps for push per subscription',
  }),
  rate_limit_read: rateLimit('20000/10', {
    help: 'Read requests with an API key per organization',
  }),
  rate_limit_report: rateLimit('5000/10', { help: 'Phone outcome reports per organization' }),
  rate_limit_export: rateLimit('5000/10', {
    help: 'CSV exports of managed devices and their audit log per user',
  }),
  rate_limit_console: rateLimit('600/60', { help: 'Portal and console requests per user' }),
  rate_limit_sign_in: rateLimit('10/60', {
    help: 'Sign-in attempts per client network and per known browser; half of them per e-mail address and network',
  }),
} as const satisfies RateLimitSettings
