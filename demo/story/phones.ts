/**
 * The managed phones and tablets of the organization: their hardware, their policies, and what happens
 * to them.
 */

export type PhonePolicy = 'handhelds' | 'tablets' | 'managers'

export type StoryPhone = {
  serial: string
  name: string
  brand: string
  model: string
  android: string
  patch: string
  policy: PhonePolicy
  group?: string | undefined
  user?: string | undefined
  /** Share of the month that has passed at its enrollment. */
  joins_at: number
  fate: Fate
}

/**
 * `silent` has had no connection since a policy changed. `unencrypted` has reported for days that it is
 * not encrypted. `unlocked` lost its screen lock today. `app` could not install an app. `lost` was
 * deleted. `waiting` was switched on and not set up. `refusing` refuses a command. `leaving` is deleted
 * while a command is on its way.
 */
export type Fate =
  | 'well'
  | 'silent'
  | 'unencrypted'
  | 'unlocked'
  | 'app'
  | 'lost'
  | 'waiting'
  | 'refusing'
  | 'leaving'

export const GROUPS = ['Hamburg', 'Leipzig', 'Bristol', 'Stock rooms'] as const

export const POLICIES: Readonly<
  Record<PhonePolicy, { name: string; description: string; management_mode: string }>
> = {
  handhelds: {
    name: 'Handheld scanners',
    description: 'Scanners on the shop floor and in stock rooms',
    management_mode: 'fully_managed',
  },
  tablets: {
    name: 'Counter tablets',
    description: 'Tablets at service counters, one app only',
    management_mode: 'fully_managed',
  },
  managers: {
    name: 'Managers',
    description: 'Work profile on the phones of store managers',
    management_mode: 'work_profile',
  },
}

const app = (name: string, installType: string) => ({
  applications: [
    { packageName: `example.northwind.${name}`, installType, defaultPermissionPolicy: 'GRANT' },
  ],
})

/** Additions of the second and the third version of a policy. */
export const POLICY_CHANGES: readonly {
  at_share: number
  policy: PhonePolicy
  change: Record<string, unknown>
}[] = [
  { at_share: 0.4, policy: 'tablets', change: app('counter', 'KIOSK') },
  {
    at_share: 0.55,
    policy: 'handhelds',
    change: { ...app('stock', 'FORCE_INSTALLED'), cameraAccess: 'CAMERA_ACCESS_DISABLED' },
  },
  { at_share: 0.86, policy: 'handhelds', change: { screenCaptureDisabled: true } },
]

type Details = Pick<StoryPhone, 'joins_at'> & Partial<StoryPhone>

const scanner = (number: number, details: Details): StoryPhone => ({
  serial: `ZB${String(number).padStart(3, '0')}4471`,
  name: `Scanner ${number}`,
  brand: 'Zebra',
  model: number % 3 === 0 ? 'TC58' : 'TC22',
  android: number % 3 === 0 ? '14' : '13',
  patch: number % 4 === 0 ? '2025-11-01' : '2026-02-01',
  policy: 'handhelds',
  fate: 'well',
  ...details,
})

const tablet = (number: number, details: Details): StoryPhone => ({
  serial: `R52T${String(number).padStart(2, '0')}0KXA`,
  name: `Counter ${number}`,
  brand: 'Samsung',
  model: 'Galaxy Tab Active5',
  android: '15',
  patch: '2026-01-01',
  policy: 'tablets',
  fate: 'well',
  ...details,
})

const manager = (number: number, user: string, details: Details): StoryPhone => ({
  serial: `38021FDJG0${String(number).padStart(2, '0')}`,
  name: `Phone of ${user}`,
  brand: 'Google',
  model: number % 2 === 0 ? 'Pixel 9' : 'Pixel 8a',
  android: '16',
  patch: '2026-02-05',
  policy: 'managers',
  user,
  fate: 'well',
  ...details,
})

export const PHONES: readonly StoryPhone[] = [
  ...[1, 2, 3, 4].map((number) => scanner(number, { joins_at: 0.1, group: 'Hamburg' })),
  scanner(5, { joins_at: 0.1, group: 'Hamburg', fate: 'unlocked' }),
  scanner(6, { joins_at: 0.1, group: 'Leipzig' }),
  scanner(7, { joins_at: 0.1, group: 'Leipzig', fate: 'unencrypted' }),
  scanner(8, { joins_at: 0.1, group: 'Leipzig', fate: 'silent' }),
  scanner(9, { joins_at: 0.12, group: 'Bristol' }),
  scanner(10, { joins_at: 0.12, group: 'Bristol', fate: 'silent' }),
  scanner(11, { joins_at: 0.12, group: 'Bristol', fate: 'app' }),
  scanner(12, { joins_at: 0.3, group: 'Stock rooms' }),
  scanner(13, { joins_at: 0.3, group: 'Stock rooms', fate: 'refusing' }),
  scanner(14, { joins_at: 0.3, group: 'Stock rooms', fate: 'lost' }),
  scanner(15, { joins_at: 0.72, group: 'Stock rooms', fate: 'unencrypted' }),
  tablet(1, { joins_at: 0.3, group: 'Hamburg' }),
  tablet(2, { joins_at: 0.3, group: 'Hamburg' }),
  tablet(3, { joins_at: 0.3, group: 'Leipzig' }),
  tablet(4, { joins_at: 0.3, group: 'Bristol', fate: 'unlocked' }),
  tablet(5, { joins_at: 0.72, group: 'Bristol', fate: 'leaving' }),
  tablet(6, { joins_at: 0.96, group: 'Leipzig', fate: 'waiting' }),
  manager(1, 'Ines Falkner', { joins_at: 0.45 }),
  manager(2, 'Maren Töpfer', { joins_at: 0.45 }),
  manager(3, 'Hendrik Pohl', { joins_at: 0.45 }),
  manager(4, 'Sanne de Wit', { joins_at: 0.72, fate: 'app' }),
  manager(5, 'Owen Pritchard', { joins_at: 0.72 }),
  manager(6, 'Wout Dijkstra', { joins_at: 0.96 }),
]
