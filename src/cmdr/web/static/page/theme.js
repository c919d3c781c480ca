// Light or dark, as the settings say; the browser decides where they leave it open.

/** @param {import('./picture.js').Look} look */
export function dress(look) {
  const root = document.documentElement;
  root.dataset.theme = ['light', 'dark', 'classic'].includes(look.theme) ? look.theme : 'auto';
  document.body.classList.toggle('barless', !look.keyBar);
  document.body.classList.toggle('plain', !look.colours);
  document.body.classList.toggle('wraps', look.wrap);
}
