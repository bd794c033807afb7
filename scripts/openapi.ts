/**
 * Prints the OpenAPI document as a server with default settings would serve it. The copy in
 * docs/openapi.json is the contract that was published; new versions are compared with it.
 */
import { createHttp, type Services } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { systemClock } from '../src/platform/clock.ts'
import { createLog } from '../src/platform/log.ts'
import type { Stores } from '../src/stores.ts'

// Routes are described, never called: nothing behind them is needed.
const absent = (known: object) =>
  new Proxy(known, { get: (it, name): unknown => Reflect.get(it, name) ?? {} })

const stores = absent({ log: createLog('silent'), clock: systemClock }) as Stores
const services = absent({}) as Services
const { app } = await createHttp(stores, services, readConfig({}))
process.stdout.write(`${JSON.stringify(app.swagger(), null, 2)}\n`)
await app.close()
