/**
 * Prints the OpenAPI document as a server with default settings would serve it. The copy in
 * docs/openapi.json is the contract that was published; new versions are compared with it.
 */
import { createHttp, type Services } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { systemClock } from '../src/platform/clock.ts'
import { createValidators } from '../src/platform/http/validation.ts'
import { createLog } from '../src/platform/log.ts'
import type { Stores } from '../src/stores.ts'

// Routes are described, never called: nothing behind them is needed but what compiles their schemas.
const nothing: unknown = new Proxy(() => undefined, {
  get: (_, name): unknown => (name === 'then' ? undefined : nothing),
})
const absent = (known: object) =>
  new Proxy(known, { get: (it, name): unknown => Reflect.get(it, name) ?? nothing })

const stores = absent({ log: createLog('silent'), clock: systemClock }) as Stores
const services = absent({ validators: createValidators() }) as Services
const { app } = await createHttp(stores, services, readConfig({}))
process.stdout.write(`${JSON.stringify(app.swagger(), null, 2)}\n`)
await app.close()
