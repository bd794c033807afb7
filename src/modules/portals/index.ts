/** Customer portals: customers of an organization manage their webhook endpoints. */
export { portalConsoleRoutes } from './console.ts'
export { portalRoutes } from './customer-routes.ts'
export { createPortalEndpoints } from './endpoints.ts'
export { findPortalOf, sweepLinks } from './links.store.ts'
export { createPortalLinks, type PortalHolder, type PortalLinks } from './links.ts'
export { findPortal } from './portals.store.ts'
export { portalLinkRoutes } from './sdk-routes.ts'
export { createPortals, type Portals } from './service.ts'
