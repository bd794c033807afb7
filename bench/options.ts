/** Command-line options of the benchmarks. */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

export type BenchOptions = {
  /** Length of each measured run. */
  seconds: number
  /** Number of times that every subject and its limit are measured. */
  rounds: number
  /** Numbers of concurrent clients, in the order in which they are measured. */
  clients: number[]
  /** Numbers of organizations that the customers of `orders` are spread over. */
  organizations: number[]
  is_quick: boolean
  /** Measures only the comparison that `gate` needs. */
  main_path_only: boolean
  /** `gate` stores its ratios as those of the release. */
  write: boolean
  /** The only scenario of `hostile` to measure. */
  only: string | undefined
  json: boolean
  /** Folder for CPU profiles of the measured processes; profiling itself costs speed. */
  profile_folder: string | undefined
}

export const USAGE = `options:
  --seconds <n>           length of each measured run (default 2); mdm: of the limit; not for push
  --rounds <n>            number of times that everything is measured (default 3)
  --clients <list>        check, orders, logs: numbers of concurrent clients (default 1,8,32,128)
  --organizations <list>  orders: numbers of organizations of the 5,000 customers (default 1,5000)
  --only <scenario>       hostile: bodies, neighbor or flood (default all)
  --write                 gate: store the ratios as those of the release
  --quick                 one round of one second with 8 clients, and less data
  --profile <folder>      write CPU profiles of the measured processes there
  --json                  print one JSON object instead of a table`

/** The bare inserts need a database connection for each client. */
const CLIENTS_MAX = 256
const ORGANIZATIONS_MAX = 5000
const DEFAULTS = { seconds: '2', rounds: '3', clients: '1,8,32,128', organizations: '1,5000' }
const QUICK = { seconds: '1', rounds: '1', clients: '8', organizations: '1' }

/** @throws Error with one sentence when an option is unknown or out of range */
export function readOptions(args: string[]): BenchOptions {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string' },
      rounds: { type: 'string' },
      clients: { type: 'string' },
      organizations: { type: 'string' },
      only: { type: 'string' },
      quick: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      profile: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  })
  const text = { ...(values.quick ? QUICK : DEFAULTS), ...values }
  return {
    seconds: readNumber('seconds', text.seconds, { min: 0.2, max: 60 }),
    rounds: Math.round(readNumber('rounds', text.rounds, { min: 1, max: 20 })),
    clients: readNumbers('clients', text.clients, CLIENTS_MAX),
    organizations: readNumbers('organizations', text.organizations, ORGANIZATIONS_MAX),
    is_quick: values.quick,
    main_path_only: false,
    write: values.write,
    only: values.only,
    json: values.json,
    profile_folder: values.profile === undefined ? undefined : resolve(values.profile),
  }
}

function readNumber(name: string, text: string, { min, max }: { min: number; max: number }) {
  const value = Number(text)
  if (text.trim() !== '' && value >= min && value <= max) return value
  throw new Error(`--${name} must be between ${min} and ${max}, not "${text}"`)
}

const readNumbers = (name: string, list: string, max: number): number[] =>
  list.split(',').map((text) => Math.round(readNumber(name, text, { min: 1, max })))
