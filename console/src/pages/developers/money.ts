/** Credits as money. */
import { amountText } from '../../components/index.ts'

const CREDITS_PRICED = 1000

export const moneyText = (
  credits: number,
  { currency, per_1000_credits }: { currency: string; per_1000_credits: number },
): string => amountText((credits * per_1000_credits) / CREDITS_PRICED, currency)
