/**
 * Runs one evaluation by name: `npm run eval -- orders`. Results go to stdout, as text or with `--json`
 * as one JSON object; progress goes to stderr.
 */
import { parseArgs } from 'node:util'
import { evaluateCashier } from './cashier/evaluate.ts'
import { printCashier } from './cashier/report.ts'
import { evaluateEmail, printEmail } from './email.ts'
import { evaluateGrouping } from './grouping/evaluate.ts'
import { printGrouping } from './grouping/report.ts'
import { QUICK_SIZE } from './orders/cards/world.ts'
import { evaluateOrders, type OrderEvaluationOptions } from './orders/evaluate.ts'
import { evaluateLearning } from './orders/learning/evaluate.ts'
import { printLearning } from './orders/learning/report.ts'
import { QUICK_SHOP_SIZE, SHOP_SIZE } from './orders/shop/shop.ts'

type Options = OrderEvaluationOptions & { data: string | undefined }

const EVALUATIONS: Readonly<Record<string, (options: Options) => string>> = {
  email: ({ data, asJson }) => {
    const result = evaluateEmail({ data })
    return asJson ? JSON.stringify(result) : printEmail(result)
  },
  orders: evaluateOrders,
  learning: ({ seed, seeds, isQuick, asJson, onProgress }) => {
    const result = evaluateLearning({
      seeds: Array.from({ length: seeds }, (_, index) => seed + index),
      // The published size would take hours and has more frauds than are learned from.
      card_size: QUICK_SIZE,
      shop_size: isQuick ? QUICK_SHOP_SIZE : SHOP_SIZE,
      onProgress,
    })
    return asJson ? JSON.stringify(result) : printLearning(result)
  },
  cashier: (options) => {
    const result = evaluateCashier(options)
    return options.asJson ? JSON.stringify(result) : printCashier(result)
  },
  grouping: (options) => {
    const result = evaluateGrouping(options)
    if (!options.asJson) return printGrouping(result, options.withMisses)
    const files = result.files.map(({ misses: _misses, ...file }) => file)
    return JSON.stringify(options.withMisses ? result : { ...result, files })
  },
}

const USAGE = `usage: npm run eval -- <name> [options]; names: ${Object.keys(EVALUATIONS).join(', ')}
  --json      print one JSON object instead of text
  --quick     simulate a smaller world (orders, learning, cashier)
  --seed N    first seed of the simulators, default 1 (orders, learning, cashier)
  --seeds N   number of seeds of the expensive simulators, default 1 (orders, learning, cashier)
  --misses    list misses and false alarms (orders, grouping)
  --data DIR  folder of labeled files (grouping), or of allow lists (email)`

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
      onProgress: (step) => void process.stderr.write(`${step}\n`),
    }
  } catch {
    return undefined
  }
}
