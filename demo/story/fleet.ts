/** The devices in the shops that send logs: what they are, and which of them are in trouble when. */
import { SHOPS, tillOf } from './shops.ts'

export type DeviceKind = 'till' | 'printer' | 'terminal' | 'scale'

export type EdgeDevice = {
  id: string
  kind: DeviceKind
  shop_id: string
  zone: string
  /** Of the month, from which on nothing comes any more. */
  silent_from: number | undefined
}

export type Fleet = readonly EdgeDevice[]

/** Of the month: the night in which the firmware of four printers is replaced. */
export const FIRMWARE = { at_share: 21 / 30, version: '4.2.0', before: '4.1.7' } as const

const PRINTERS_WITH_UPDATE = [
  'hamburg-printer-01',
  'hamburg-printer-02',
  'cologne-printer-01',
  'utrecht-printer-01',
]
/** Since when, as a share of the month. */
const SILENT: Readonly<Record<string, number>> = {
  'groningen-scale-01': 0.62,
  'bristol-terminal-02': 0.93,
  'cologne-till-04': 0.985,
}
/** Their paper path is worn. */
export const JAMMING = ['leipzig-printer-01', 'bristol-printer-01'] as const
/** The switch in this shop loses packets. */
export const BAD_NETWORK = 'groningen'

export const hasUpdate = (device: EdgeDevice): boolean => PRINTERS_WITH_UPDATE.includes(device.id)

/** 24 tills, seven printers, seven card terminals, two scales. */
export const FLEET: Fleet = SHOPS.flatMap((shop) => {
  const tills = Array.from({ length: shop.tills }, (_, index) => tillOf(shop, index + 1))
  const printers = shop.id === 'hamburg' ? 2 : 1
  const terminals = shop.id === 'bristol' ? 2 : 1
  const scales = shop.id === 'groningen' || shop.id === 'leipzig' ? 1 : 0
  const numbered = (kind: DeviceKind, count: number) =>
    Array.from({ length: count }, (_, index) => ({ kind, id: `${shop.id}-${kind}-0${index + 1}` }))
  return [
    ...tills.map((id) => ({ kind: 'till' as const, id })),
    ...numbered('printer', printers),
    ...numbered('terminal', terminals),
    ...numbered('scale', scales),
  ].map(({ kind, id }) => ({
    id,
    kind,
    shop_id: shop.id,
    zone: shop.zone,
    silent_from: SILENT[id],
  }))
})
