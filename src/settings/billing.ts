/** Settings of credits and prices. */
import { flag, formed, integer, type Setting } from '../platform/settings.ts'

const CREDIT_PRICE_MAX = 100_000_000
const CURRENCY = {
  accepts: (text: string) => /^[A-Z]{3}$/.test(text),
  what: 'a currency code in ISO 4217, such as EUR',
}

const creditPrice = (plan: string) =>
  integer(
    0,
    { min: 0, max: CREDIT_PRICE_MAX },
    {
      help: `Price of 1,000 credits on the plan ${plan}, in the smallest unit of the currency, such as cents; 0: the console shows credits only`,
    },
  )

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
  billing_currency: formed('EUR', CURRENCY, { help: 'Currency of the prices of credits' }),
  credit_price_free: creditPrice('Free'),
  credit_price_starter: creditPrice('Starter'),
  credit_price_business: creditPrice('Business'),
  usage_retention_days: integer(
    0,
    { min: 0, max: 36_500 },
    {
      help: 'Age at which usage is deleted that is in the hourly sums and was debited. It is deleted by the week below 100 days, otherwise by the month, so it stays for up to this time longer. Sums and ledger stay. 0 keeps it',
    },
  ),
  credits_required: flag(false, {
    help: 'Whether live requests are refused (403) when the balance is used up. By default the balance goes negative',
  }),
} as const satisfies Record<string, Setting<unknown>>
