/** The events of the story, as requests to the service. */
import type { CashierRequest } from '../../src/modules/cashier/schema.ts'
import type { CheckRequest } from '../../src/modules/checks/schema.ts'
import type { OrderRequest } from '../../src/modules/orders/schema.ts'
import type { ProfileRequest } from '../../src/modules/profiles/schema.ts'
import type { Scenario } from '../../world/events.ts'

/** The service does not get to see it. */
export type Truth = 'honest' | 'theft' | Scenario

type Request =
  | { kind: 'order'; order: OrderRequest }
  | { kind: 'action'; action: CashierRequest }
  | { kind: 'profile'; profile: ProfileRequest }
  | { kind: 'check'; check: CheckRequest; mode: 'live' | 'test'; client_ip: string | undefined }

/** `at` in milliseconds since 1970. */
export type StoryEvent = { at: number; truth: Truth } & Request

export type StoryOptions = {
  seed: number
  /** End of the story. */
  end: number
  days: number
  /** 1 is the full volume; a twentieth contains a little of everything. */
  scale: number
}
