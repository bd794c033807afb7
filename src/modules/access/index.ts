/** Authorization: each route declares who may call it, and one hook enforces the declarations. */
export { type Caller, type FreshFactor, isMemberAccess, type Member } from './declaration.ts'
export { callerOf, describeAccess, securityOf } from './description.ts'
export { type Authenticators, guardRoutes, senderOf } from './guard.ts'
export { modeParameter, ownerOf } from './owner.ts'
export { type LimitName, limitsOf, type RateClass } from './rate-classes.ts'
