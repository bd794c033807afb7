/** The devices in the stores that send logs, and those of them that are in trouble. */
import { type DemoStore, STORES, tillOf } from './stores.ts'

export type DeviceKind = 'till' | 'printer' | 'terminal' | 'scale'

export type EdgeDevice = {
  id: string
  kind: DeviceKind
  store_id: DemoStore['id']
  /** Share of the month after which the device sends nothing any more. */
  silent_from: number | undefined
}

/** The night, as a share of the month, in which the firmware of four printers is updated. */
export const FIRMWARE = { at_share: 21 / 30, version: '4.2.0', before: '4.1.7' } as const

const PRINTERS_WITH_UPDATE = [
  'hamburg-printer-01',
  'hamburg-printer-02',
  'cologne-printer-01',
  'utrecht-printer-01',
]
const SILENT: Readonly<Record<string, number>> = {
  'groningen-scale-01': 0.62,
  'bristol-terminal-02': 0.93,
  'cologne-till-04': 0.985,
}
/** The paper paths of these printers are worn. */
export const JAMMING: readonly string[] = ['leipzig-printer-01', 'bristol-printer-01']
/** The switch in this store loses packets. */
export const BAD_NETWORK = 'groningen'

export const hasUpdate = ({ id }: EdgeDevice): boolean => PRINTERS_WITH_UPDATE.includes(id)

/** 24 tills, seven printers, seven card terminals and two scales. */
export const FLEET: readonly EdgeDevice[] = STORES.flatMap((store) => {
  const { id: store_id } = store
  const counts: Record<DeviceKind, number> = {
    till: store.tills,
    printer: store_id === 'hamburg' ? 2 : 1,
    terminal: store_id === 'bristol' ? 2 : 1,
    scale: store_id === 'groningen' || store_id === 'leipzig' ? 1 : 0,
  }
  return (Object.keys(counts) as DeviceKind[]).flatMap((kind) =>
    Array.from({ length: counts[kind] }, (_, index) => {
      const id = kind === 'till' ? tillOf(store, index + 1) : `${store_id}-${kind}-0${index + 1}`
      return { id, kind, store_id, silent_from: SILENT[id] }
    }),
  )
})
