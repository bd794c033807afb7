/** The phones and tablets of the organisation: what they are, where they are, and what befalls them. */

export type PhonePolicy = 'handhelds' | 'tablets' | 'managers'

export type StoryPhone = {
  serial: string
  name: string
  brand: string
  model: string
  android: string
  patch: string
  policy: PhonePolicy
  group: string | undefined
  user: string | undefined
  /** Of the month. */
  joins_at: number
  fate: Fate
}

/**
 * `silent`: has had no connection since a policy changed. `unencrypted`: reports that it is not encrypted,
 * for days. `unlocked`: its screen lock is gone since today. `app`: an app could not be installed.
 * `lost`: was deleted. `waiting`: was switched on and not set up. `refusing`: refuses a command.
 * `leaving`: is deleted with a command under way.
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
  Record<
    PhonePolicy,
    { name: string; description: string; management_mode: 'fully_managed' | 'work_profile' }
  >
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
    description: 'Work profile on the phones of shop managers',
    management_mode: 'work_profile',
  },
}

/** What the second and third version of a policy add. */
export const POLICY_CHANGES: readonly {
  at_share: number
  policy: PhonePolicy
  change: Record<string, unknown>
}[] = [
  {
    at_share: 0.4,
    policy: 'tablets',
    change: {
      applications: [
        {
          packageName: 'example.northwind.counter',
          installType: 'KIOSK',
          defaultPermissionPolicy: 'GRANT',
        },
      ],
    },
  },
  {
    at_share: 0.55,
    policy: 'handhelds',
    change: {
      applications: [
        {
          packageName: 'example.northwind.stock',
          installType: 'FORCE_INSTALLED',
          defaultPermissionPolicy: 'GRANT',
        },
      ],
      cameraAccess: 'CAMERA_ACCESS_DISABLED',
    },
  },
  {
    at_share: 0.86,
    policy: 'handhelds',
    change: { screenCaptureDisabled: true },
  },
]

const scanner = (
  number: number,
  group: string,
  joins_at: number,
  fate: Fate = 'well',
): StoryPhone => ({
  serial: `ZB${String(number).padStart(3, '0')}4471`,
  name: `Scanner ${number}`,
  brand: 'Zebra',
  model: number % 3 === 0 ? 'TC58' : 'TC22',
  android: number % 3 === 0 ? '14' : '13',
  patch: number % 4 === 0 ? '2025-11-01' : '2026-02-01',
  policy: 'handhelds',
  group,
  user: undefined,
  joins_at,
  fate,
})

const tablet = (
  number: number,
  group: string,
  joins_at: number,
  fate: Fate = 'well',
): StoryPhone => ({
  serial: `R52T${String(number).padStart(2, '0')}0KXA`,
  name: `Counter ${number}`,
  brand: 'Samsung',
  model: 'Galaxy Tab Active5',
  android: '15',
  patch: '2026-01-01',
  policy: 'tablets',
  group,
  user: undefined,
  joins_at,
  fate,
})

const manager = (
  number: number,
  user: string,
  joins_at: number,
  fate: Fate = 'well',
): StoryPhone => ({
  serial: `38021FDJG0${String(number).padStart(2, '0')}`,
  name: `Phone of ${user}`,
  brand: 'Google',
  model: number % 2 === 0 ? 'Pixel 9' : 'Pixel 8a',
  android: '16',
  patch: '2026-02-05',
  policy: 'managers',
  group: undefined,
  user,
  joins_at,
  fate,
})

export const PHONES: readonly StoryPhone[] = [
  ...[1, 2, 3, 4].map((number) => scanner(number, 'Hamburg', 0.1)),
  scanner(5, 'Hamburg', 0.1, 'unlocked'),
  scanner(6, 'Leipzig', 0.1),
  scanner(7, 'Leipzig', 0.1, 'unencrypted'),
  scanner(8, 'Leipzig', 0.1, 'silent'),
  scanner(9, 'Bristol', 0.12),
  scanner(10, 'Bristol', 0.12, 'silent'),
  scanner(11, 'Bristol', 0.12, 'app'),
  scanner(12, 'Stock rooms', 0.3),
  scanner(13, 'Stock rooms', 0.3, 'refusing'),
  scanner(14, 'Stock rooms', 0.3, 'lost'),
  scanner(15, 'Stock rooms', 0.72, 'unencrypted'),
  tablet(1, 'Hamburg', 0.3),
  tablet(2, 'Hamburg', 0.3),
  tablet(3, 'Leipzig', 0.3),
  tablet(4, 'Bristol', 0.3, 'unlocked'),
  tablet(5, 'Bristol', 0.72, 'leaving'),
  tablet(6, 'Leipzig', 0.96, 'waiting'),
  manager(1, 'Ines Falkner', 0.45),
  manager(2, 'Maren Töpfer', 0.45),
  manager(3, 'Hendrik Pohl', 0.45),
  manager(4, 'Sanne de Wit', 0.72, 'app'),
  manager(5, 'Owen Pritchard', 0.72),
  manager(6, 'Wout Dijkstra', 0.96),
]
