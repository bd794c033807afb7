/** Classes of endpoints with separate rate limits (OP-19). Each class has a setting. */
import type { RateLimit } from '../../platform/settings.ts'
import type { SignInLimit } from '../accounts/index.ts'

export const RATE_CLASSES = [
  'check',
  'order',
  'profile',
  'cashier',
  'ingest',
  'rum',
  'rum_network',
  'push',
  'push_sdk',
  'push_sdk_network',
  'push_sdk_subscription',
  'read',
  'report',
  'export',
  'console',
  'sign_in',
] as const
export type RateClass = (typeof RATE_CLASSES)[number]

export type LimitName = RateClass | SignInLimit

/** Every limit, from the ones that are set. */
export function limitsOf(settingOf: (name: RateClass) => RateLimit): Record<LimitName, RateLimit> {
  const classes = RATE_CLASSES.map((name) => [name, settingOf(name)] as const)
  return {
    ...(Object.fromEntries(classes) as Record<RateClass, RateLimit>),
    ...signInLimits(settingOf('sign_in')),
  }
}

/** A quarter of an hour by default, as long as an attack has to pause to be forgotten. */
const LONG_WINDOWS = 15

function signInLimits({ points, window_seconds }: RateLimit): Record<SignInLimit, RateLimit> {
  const long = LONG_WINDOWS * window_seconds
  return {
    sign_in_pair: { points: Math.ceil(points / 2), window_seconds },
    sign_in_email_busy: { points: 10 * points, window_seconds: long },
    sign_in_pair_busy: { points: 1, window_seconds },
    sign_in_email_attacked: { points: 100 * points, window_seconds: long },
    sign_in_pair_attacked: { points: 1, window_seconds: long },
  }
}
