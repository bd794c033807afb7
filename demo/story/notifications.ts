/** The two apps, and what was and will be sent to their users. */
import type { Mode } from '../../src/platform/postgres/tables/platform.ts'

export type App = {
  key: 'shop' | 'staff'
  name: string
  environment: Mode
  android_package_name: string
  ios_bundle_id: string
  android: number
  ios: number
}

export const APPS: readonly App[] = [
  {
    key: 'shop',
    name: 'Northwind Shop',
    environment: 'live',
    android_package_name: 'example.northwind.shop',
    ios_bundle_id: 'example.northwind.shop',
    android: 70,
    ios: 45,
  },
  {
    key: 'staff',
    name: 'Northwind Staff',
    environment: 'live',
    android_package_name: 'example.northwind.staff',
    ios_bundle_id: 'example.northwind.staff',
    android: 8,
    ios: 5,
  },
]

export type StoryMessage = {
  app: App['key']
  /** Of the month; beyond 1 it is scheduled, so many days ahead. */
  at_share?: number
  in_days?: number
  /** How many signed-in users; all subscribers when left out. */
  users?: number
  content: { title: string; body: string; deep_link?: string; collapse_key?: string }
  received_share: number
  clicked_share: number
}

export const MESSAGES: readonly StoryMessage[] = [
  {
    app: 'shop',
    at_share: 0.08,
    content: {
      title: 'Offers of the week',
      body: 'Apples, coffee and salmon for less until Saturday.',
      deep_link: 'northwind://offers',
    },
    received_share: 0.86,
    clicked_share: 0.22,
  },
  {
    app: 'shop',
    at_share: 0.24,
    users: 9,
    content: {
      title: 'Your order is on its way',
      body: 'Between 16:00 and 18:00 today.',
      deep_link: 'northwind://orders',
    },
    received_share: 0.95,
    clicked_share: 0.7,
  },
  {
    app: 'shop',
    at_share: 0.32,
    content: {
      title: 'Offers of the week',
      body: 'Gouda, rye bread and juice for less.',
      deep_link: 'northwind://offers',
    },
    received_share: 0.84,
    clicked_share: 0.18,
  },
  {
    app: 'staff',
    at_share: 0.5,
    content: { title: 'New shift plan', body: 'The plan for the coming week is there.' },
    received_share: 0.9,
    clicked_share: 0.5,
  },
  {
    app: 'shop',
    at_share: 0.56,
    content: {
      title: 'Twice the points',
      body: 'On everything from the bakery, this weekend only.',
      collapse_key: 'points',
    },
    received_share: 0.81,
    clicked_share: 0.12,
  },
  {
    app: 'shop',
    at_share: 0.79,
    content: {
      title: 'Offers of the week',
      body: 'Olive oil, pasta and ice cream for less.',
      deep_link: 'northwind://offers',
    },
    received_share: 0.83,
    clicked_share: 0.2,
  },
  {
    app: 'shop',
    at_share: 0.97,
    users: 6,
    content: {
      title: 'Ready to be collected',
      body: 'Your order waits at the counter until 20:00.',
      deep_link: 'northwind://orders',
    },
    received_share: 0.9,
    clicked_share: 0.6,
  },
  {
    app: 'shop',
    in_days: 2,
    content: { title: 'Open on Sunday', body: 'From 12:00 to 18:00, in all shops.' },
    received_share: 0,
    clicked_share: 0,
  },
]

/** Phones on which the app of the shop was removed meanwhile. */
export const REMOVED_PHONES = 4
export const LOCALES = ['de-DE', 'de-DE', 'nl-NL', 'en-GB'] as const
export const VERSIONS = ['5.2.0', '5.1.3', '5.1.0'] as const
