/** Settings of credits and prices. */
import { flag, integer, type Setting } from '../platform/settings.ts'

export const BILLING_SETTINGS = {
  billing_interval_seconds: integer(
    300,
    { min: 1, max: 86_400 },
    { help: 'Interval at which usage is debited from balances' },
  ),
  check_credits: integer(1, { min: 0, max: 1000 }, { help: 'Price of one check in credits' }),
  rum_credits_per_1000: integer(
    0,
    { min: 0, max: 1000 },
    { help: 'Price of 1,000 RUM events in credits' },
  ),
  credits_required: flag(false, {
    help: 'Whether live requests are refused (403) when the balance is used up. By default the balance goes negative',
  }),
} as const satisfies Record<string, Setting<unknown>>
