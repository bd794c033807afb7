/**
 * Runs one evaluation by name: `npm run eval -- orders`. Numbers go to stdout, as text or with `--json` as
 * one JSON object; progress goes to stderr.
 */
import { parseArgs } from 'node:util'
import { evaluateCashier } from './cashier/evaluate.ts'
import { evaluateEmail, printEmail } from './email.ts'
import { evaluateGrouping } from './grouping/evaluate.ts'
import { evaluateOrders } from './orders/evaluate.ts'

type Options = {
  asJson: boolean
  isQuick: boolean
  withMisses: boolean
  seed: number
  seeds: number
  data: string | undefined
  tell: (step: string) => void
}

const EVALUATIONS: Readonly<Record<string, (options: Options) => string>> = {
  email: ({ asJson }) => {
    const result = evaluateEmail()
    return asJson ? JSON.stringify(result) : printEmail(result)
  },
  orders: evaluateOrders,
  cashier: evaluateCashier,
  grouping: evaluateGrouping,
}

const USAGE = `usage: npm run eval -- <name> [options]; names: ${Object.keys(EVALUATIONS).join(', ')}
  --json      one JSON object instead of text
  --quick     a smaller world (orders)
  --seed N    the first seed of the simulators, default 1 (orders)
  --seeds N   how many seeds of the expensive simulators, default 1 (orders)
  --misses    what was missed and what was a false alarm (orders, grouping)
  --data DIR  folder of labelled files (grouping)`

const options = readOptions(process.argv.slice(3))
const name = process.argv[2] ?? ''
const evaluation = Object.hasOwn(EVALUATIONS, name) ? EVALUATIONS[name] : undefined
if (evaluation === undefined || options === undefined) {
  process.stderr.write(`${USAGE}\n`)
  process.exitCode = 2
} else {
  process.stdout.write(`${evaluation(options)}\n`)
}

function readOptions(args: string[]): Options | undefined {
  try {
    const { values } = parseArgs({
      args,
      options: {
        json: { type: 'boolean', default: false },
        quick: { type: 'boolean', default: false },
        misses: { type: 'boolean', default: false },
        seed: { type: 'string', default: '1' },
        seeds: { type: 'string', default: '1' },
        data: { type: 'string' },
      },
    })
    const [seed, seeds] = [Number(values.seed), Number(values.seeds)]
    if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(seeds) || seeds < 1) return undefined
    return {
      asJson: values.json,
      isQuick: values.quick,
      withMisses: values.misses,
      seed,
      seeds,
      data: values.data,
      tell: (step) => void process.stderr.write(`${step}\n`),
    }
  } catch {
    return undefined
  }
}
