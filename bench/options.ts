/** What a benchmark is told on the command line. */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { OrderShape } from './order-requests.ts'

export type BenchOptions = {
  /** Length of each measured run. */
  seconds: number
  /** How often every subject is measured; the order turns around from round to round. */
  rounds: number
  /** Numbers of concurrent clients, in the order in which they are measured. */
  clients: number[]
  /** Length of the memory run; 0 leaves it out. */
  requests: number
  /** Orders of the profile with the longest past; 0 leaves the growth run out. Orders only. */
  past_orders: number
  /** What is ordered. Orders only. */
  shape: OrderShape
  /** Finished deliveries beside which claiming is measured; 0 leaves it out. Webhooks only. */
  history: number
  /** So many logs are in the engine when it is asked; empty leaves the readings out. Logs only. */
  rows: number[]
  /** Less of everything. Logs, mdm and push only. */
  is_quick: boolean
  json: boolean
  /** Folder for a CPU profile of the service; profiling itself costs speed. */
  profile_folder: string | undefined
}

export const USAGE = `options:
  --seconds <n>      length of each measured run (default 2)
  --rounds <n>       how often everything is measured (default 3)
  --clients <list>   numbers of concurrent clients (default 1,8,32,128)
  --requests <n>     length of the memory run, 0 leaves it out (default 200000)
  --past-orders <n>  orders: longest past of the growth run, 0 leaves it out (default 1000000)
  --shape <name>     orders: online (of a customer, with items; default) or in_store (of nobody)
  --history <n>      webhooks: finished deliveries in the table, 0 leaves it out (default 1000000)
  --rows <list>      logs: logs in the engine that are read, 0 leaves it out (default 1000000,20000000)
  --quick            logs, mdm, push: one short round with less of everything
  --profile <folder> leave a CPU profile of what is measured there (which slows it down)
  --json             print one JSON object instead of a table`

const USUAL = { seconds: '2', rounds: '3', clients: '1,8,32,128', rows: '1000000,20000000' }
const QUICK = { seconds: '1', rounds: '1', clients: '8', rows: '1000000' }

/** @throws Error with one sentence when an option is unknown or out of range */
export function readOptions(args: string[]): BenchOptions {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string' },
      rounds: { type: 'string' },
      clients: { type: 'string' },
      requests: { type: 'string', default: '200000' },
      'past-orders': { type: 'string', default: '1000000' },
      shape: { type: 'string', default: 'online' },
      history: { type: 'string', default: '1000000' },
      rows: { type: 'string' },
      quick: { type: 'boolean', default: false },
      profile: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  })
  const usual = values.quick ? QUICK : USUAL
  const {
    seconds = usual.seconds,
    rounds = usual.rounds,
    clients = usual.clients,
    rows = usual.rows,
  } = values
  return {
    seconds: number('seconds', seconds, 0.2, 60),
    rounds: Math.round(number('rounds', rounds, 1, 20)),
    clients: numbers('clients', clients, 1, CLIENTS_MAX),
    requests: Math.round(number('requests', values.requests, 0, 10_000_000)),
    past_orders: Math.round(number('past-orders', values['past-orders'], 0, 2_000_000)),
    shape: shape(values.shape),
    history: Math.round(number('history', values.history, 0, 100_000_000)),
    rows: numbers('rows', rows, 0, 1_000_000_000).filter((count) => count > 0),
    is_quick: values.quick,
    json: values.json,
    profile_folder: values.profile === undefined ? undefined : resolve(values.profile),
  }
}

/** The bare inserts need a database connection for each client. */
export const CLIENTS_MAX = 256

function number(name: string, text: string, min: number, max: number): number {
  const value = Number(text)
  if (text.trim() !== '' && value >= min && value <= max) return value
  throw new Error(`--${name} must be between ${min} and ${max}, not "${text}"`)
}

const numbers = (name: string, list: string, min: number, max: number): number[] =>
  list.split(',').map((text) => Math.round(number(name, text, min, max)))

function shape(name: string): OrderShape {
  if (name === 'online' || name === 'in_store') return name
  throw new Error(`--shape must be online or in_store, not "${name}"`)
}
