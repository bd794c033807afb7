/** The two apps, and the push messages to their users. */
import type { Mode } from '../../src/platform/owner.ts'

export type App = {
  key: 'shop' | 'staff'
  name: string
  environment: Mode
  android_package_name: string
  ios_bundle_id: string
  android: number
  ios: number
}

const app = (key: App['key'], name: string, phones: { android: number; ios: number }): App => ({
  key,
  name,
  environment: 'live',
  ...phones,
  android_package_name: `example.northwind.${key}`,
  ios_bundle_id: `example.northwind.${key}`,
})

export const APPS: readonly App[] = [
  app('shop', 'Northwind Shop', { android: 70, ios: 45 }),
  app('staff', 'Northwind Staff', { android: 8, ios: 5 }),
]

export type StoryMessage = {
  app: App['key']
  /** Share of the month that has passed when it is sent. */
  at_share?: number
  /** It is scheduled this many days after the end. */
  in_days?: number
  /** Number of signed-in users; all subscribers when absent. */
  users?: number
  content: { title: string; body: string; deep_link?: string; collapse_key?: string }
  /** Shares of the recipients who received and who clicked the message. */
  shares: { received: number; clicked: number }
}

const OFFERS = { title: 'Offers of the week', deep_link: 'northwind://offers' }
const ORDERS = { deep_link: 'northwind://orders' }

export const MESSAGES: readonly StoryMessage[] = [
  {
    app: 'shop',
    at_share: 0.08,
    shares: { received: 0.86, clicked: 0.22 },
    content: { ...OFFERS, body: 'Apples, coffee and salmon for less until Saturday.' },
  },
  {
    app: 'shop',
    at_share: 0.24,
    users: 9,
    shares: { received: 0.95, clicked: 0.7 },
    content: {
      ...ORDERS,
      title: 'Your order is on its way',
      body: 'Between 16:00 and 18:00 today.',
    },
  },
  {
    app: 'shop',
    at_share: 0.32,
    shares: { received: 0.84, clicked: 0.18 },
    content: { ...OFFERS, body: 'Gouda, rye bread and juice for less.' },
  },
  {
    app: 'staff',
    at_share: 0.5,
    shares: { received: 0.9, clicked: 0.5 },
    content: { title: 'New shift plan', body: 'The plan for the coming week is there.' },
  },
  {
    app: 'shop',
    at_share: 0.56,
    shares: { received: 0.81, clicked: 0.12 },
    content: {
      title: 'Double points',
      body: 'On everything from the bakery, this weekend only.',
      collapse_key: 'points',
    },
  },
  {
    app: 'shop',
    at_share: 0.79,
    shares: { received: 0.83, clicked: 0.2 },
    content: { ...OFFERS, body: 'Olive oil, pasta and ice cream for less.' },
  },
  {
    app: 'shop',
    at_share: 0.97,
    users: 6,
    shares: { received: 0.9, clicked: 0.6 },
    content: {
      ...ORDERS,
      title: 'Ready for pickup',
      body: 'Your order waits at the counter until 20:00.',
    },
  },
  {
    app: 'shop',
    in_days: 2,
    shares: { received: 0, clicked: 0 },
    content: { title: 'Open on Sunday', body: 'From 12:00 to 18:00, in all stores.' },
  },
]

/** Phones from which the app of the shop was removed during the month. */
export const REMOVED_PHONES = 2
export const LOCALES = ['de-DE', 'de-DE', 'nl-NL', 'en-GB'] as const
export const VERSIONS = ['5.2.0', '5.1.3', '5.1.0'] as const
