/** What happens in the story, in the form in which the service is told of it. */
import type { CashierRequest } from '../../src/modules/cashier/schema.ts'
import type { CheckRequest } from '../../src/modules/checks/schema.ts'
import type { OrderRequest } from '../../src/modules/orders/schema.ts'
import type { ProfileRequest } from '../../src/modules/profiles/schema.ts'

/** What is behind it; the service is not told. */
export type Truth = 'honest' | 'takeover' | 'card_testing' | 'shared_device' | 'theft'

type Told =
  | { kind: 'order'; order: OrderRequest }
  | { kind: 'action'; action: CashierRequest }
  | { kind: 'profile'; profile: ProfileRequest }
  | { kind: 'check'; check: CheckRequest; mode: 'live' | 'test'; client_ip: string | undefined }

/** `at` in milliseconds since 1970. */
export type StoryEvent = { at: number; truth: Truth } & Told

/** From `start` on and before `end`, milliseconds. */
export type Span = { start: number; end: number }

export type StoryOptions = {
  seed: number
  /** When it ends. */
  end: number
  days: number
  /** 1 is the whole; a twentieth has everything, but little of it. */
  scale: number
}

export const isWithin = ({ start, end }: Span, at: number): boolean => at >= start && at < end
