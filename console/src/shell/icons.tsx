/** Signs of the pages in the menu. */
import { LineDrawing } from '../components/icon.tsx'

const PATHS: Readonly<Record<string, string>> = {
  '/': 'M3 9l7-6 7 6v8h-5v-5H8v5H3z',
  '/cases': 'M3 6h14v11H3zM7 6V3h6v3M3 11h14',
  '/reviews': 'M4 5l1.5 1.5L8 4M4 11l1.5 1.5L8 10M11 5h6M11 11h6M4 16.5h13',
  '/orders': 'M3 3h2l2 9h8l2-6H6M8 16.5h.01M14 16.5h.01',
  '/checks': 'M10 2l7 3v5c0 4-3 7-7 8-4-1-7-4-7-8V5zM7 10l2 2 4-4',
  '/cashiers': 'M3 9h14v8H3zM5 9V5h7v4M12 7h4V3h-4zM7 13h6',
  '/rules': 'M7 2h6M8 2v6l-5 8c0 1 .5 2 2 2h10c1.5 0 2-1 2-2l-5-8V2M6 12h8',
  '/lists': 'M7 5h10M7 10h10M7 15h10M3 5h.01M3 10h.01M3 15h.01',
  '/logs': 'M3 4h14v12H3zM6 8l2 2-2 2M10 13h4',
  '/rum': 'M3 10h3l2-6 4 12 2-6h3',
  '/devices': 'M6 2h8v16H6zM9 15h2',
  '/webhooks': 'M10 4a3 3 0 0 1 2 5l3 5M5 10a3 3 0 1 0 4 5h6M10 4a3 3 0 0 0-3 4l-2 4',
  '/push': 'M5 8a5 5 0 0 1 10 0v4l2 3H3l2-3zM8 17h4',
  '/developers/keys': 'M12 3a4 4 0 1 1-3 7l-6 6v2h3v-2h2v-2l2-2M13 6h.01',
  '/developers/requests': 'M3 6h12l-3-3M17 14H5l3 3',
  '/developers/usage': 'M3 17V9h3v8M8.5 17V3h3v14M14 17v-6h3v6',
  '/notifications': 'M3 4h14v10H8l-4 3v-3H3zM10 6v3M10 11.5h.01',
  '/organization': 'M4 18V3h8v15M12 8h4v10M7 6h2M7 10h2M7 14h2M2 18h16',
  '/profile': 'M10 3a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7M3 18c0-4 3-6 7-6s7 2 7 6',
}

export const MenuIcon = ({ path }: { path: string }) => (
  <LineDrawing path={PATHS[path] ?? ''} class="menu-icon" />
)
