/** Holds all that is known about managed devices against what their provider knows. */
import type { AndroidControl } from '../../emulators/android-management/index.ts'
import { issuedInVain, issuedTwice, wrongCommands, wrongRequests } from './mdm-command-books.ts'
import { brokenPromises, wrongDevices, wrongPolicies } from './mdm-device-books.ts'
import { wrongCommandHistory, wrongDeviceHistory } from './mdm-history-books.ts'
import type { FleetLedger } from './mdm-ledger.ts'
import { readRows } from './mdm-rows.ts'

export type FleetBooks = {
  /** Sentences about what does not agree with the provider. */
  wrong_devices: string[]
  wrong_policies: string[]
  wrong_commands: string[]
  /** Operations that the provider accepted and that none of our commands has, or two have. */
  issued_in_vain: string[]
  issued_twice: string[]
  /** About what does not agree with what clients were told. */
  wrong_requests: string[]
  broken_promises: string[]
  /** About entries and events, and what was left behind. */
  wrong_command_history: string[]
  wrong_device_history: string[]
  leftovers: string[]
}

export type FleetCounts = {
  devices: number
  /** By status. */
  commands: Record<string, number>
  /** Of devices that ended before it was learnt what became of them. */
  in_doubt: number
}

export async function readFleetBooks(
  dataDir: string,
  control: AndroidControl,
  ledger: FleetLedger,
): Promise<{ books: FleetBooks; counts: FleetCounts }> {
  const rows = await readRows(dataDir)
  const truth = control.truth()
  const commands: Record<string, number> = {}
  for (const { status } of rows.commands) commands[status] = (commands[status] ?? 0) + 1
  const in_doubt = rows.commands.filter(({ error }) => error?.endsWith('is not known')).length
  return {
    books: {
      wrong_devices: wrongDevices(rows, truth),
      wrong_policies: wrongPolicies(rows, truth),
      wrong_commands: wrongCommands(rows, truth),
      issued_in_vain: issuedInVain(rows, truth),
      issued_twice: issuedTwice(rows, truth),
      wrong_requests: wrongRequests(rows, ledger),
      broken_promises: brokenPromises(rows, ledger),
      wrong_command_history: wrongCommandHistory(rows),
      wrong_device_history: wrongDeviceHistory(rows, truth),
      leftovers: rows.leftovers,
    },
    counts: { devices: rows.devices.length, commands, in_doubt },
  }
}

export const NOTHING_WRONG: FleetBooks = {
  wrong_devices: [],
  wrong_policies: [],
  wrong_commands: [],
  issued_in_vain: [],
  issued_twice: [],
  wrong_requests: [],
  broken_promises: [],
  wrong_command_history: [],
  wrong_device_history: [],
  leftovers: [],
}
