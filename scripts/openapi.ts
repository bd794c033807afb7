/**
 * Prints the OpenAPI document of a server with default settings. docs/openapi.json is the published
 * contract, with which new versions are compared.
 */
import { withDescribedApp } from './described-app.ts'

const document = await withDescribedApp((app) => app.swagger())
process.stdout.write(`${JSON.stringify(document, null, 2)}\n`)
