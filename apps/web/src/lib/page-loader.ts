type Load = (address: string) => unknown

let load: Load = () => undefined

/** The route table stands above all features: it registers here how the page of an address is loaded. */
export function registerPageLoader(loader: Load) {
  load = loader
}

/** Starts loading the page of an address before the browser goes there. */
export function preloadPage(address: string): void {
  load(address)
}
