/**
 * Connections whose target an external server chose (a redirect, a referral) must not lead into the
 * internal network. The checked address is the one connected to, because a second resolution of the
 * name could give another address.
 */
import { lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { Agent, buildConnector, type Dispatcher } from 'undici'
import { isInwardAddress } from './public-address.ts'

/** Whether an IP address is internal; only tests replace `isInwardAddress`. */
export type IsInward = (address: string) => boolean

/** @param host with or without the brackets of a URL; names are checked when they are resolved */
export function isInwardHost(host: string, isInward: IsInward = isInwardAddress): boolean {
  const name = host.replace(/^\[|\]$/g, '')
  return isIP(name) !== 0 && isInward(name)
}

/** For `connect` of node:net, which uses it for names only. One internal address condemns a name. */
export function outwardLookup(isInward: IsInward = isInwardAddress): LookupFunction {
  return (name, options, done) => {
    lookup(name, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? []
      if (error !== null || first === undefined) {
        done(error ?? new Error(`${name} has no address`), '')
      } else if (addresses.some(({ address }) => isInward(address))) {
        done(new Error(`${name} is in the internal network`), '')
      } else if (options.all === true) {
        done(null, addresses)
      } else {
        done(null, first.address, first.family)
      }
    })
  }
}

/** A dispatcher for HTTP requests. */
export function createOutwardAgent(isInward: IsInward = isInwardAddress): Dispatcher {
  const connect = buildConnector({ lookup: outwardLookup(isInward) })
  return new Agent({
    connect: (target, done) => {
      if (isInwardHost(target.hostname, isInward)) {
        done(new Error(`${target.hostname} is in the internal network`), null)
      } else {
        connect(target, done)
      }
    },
  })
}
