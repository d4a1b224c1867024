/** Shown when the preview is opened outside the configuration page. */
export const previewZhCN = { alone: '此页面用于预览，请在管理后台的「配置」中查看' }
