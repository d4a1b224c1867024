interface Bridge {
  call(action: 'closeWindow'): void
}

declare global {
  interface Window {
    /** What WeChat gives to the pages inside it, a moment after they have loaded. */
    WeixinJSBridge?: Bridge
  }
}

/** Closes this page where that is possible: WeChat's windows close by its bridge alone. */
export function closePage(inWeChat: boolean) {
  if (!inWeChat) return window.close()
  const close = () => window.WeixinJSBridge?.call('closeWindow')
  if (window.WeixinJSBridge) close()
  else document.addEventListener('WeixinJSBridgeReady', close, { once: true })
}
