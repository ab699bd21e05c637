//! The start of an image, which goes on when nobody waits for it any more.

use tokio_util::task::AbortOnDropHandle;

use crate::factory::StartError;

/// A start in progress. Dropping it ends what was started.
pub(crate) struct Starting<T>(AbortOnDropHandle<Result<T, StartError>>);

impl<T: Send + 'static> Starting<T> {
    /// Begins `start`.
    pub(crate) fn begin(start: impl Future<Output = Result<T, StartError>> + Send + 'static) -> Self {
        Self(AbortOnDropHandle::new(tokio::spawn(start)))
    }

    /// Waits for its end; a caller may give up waiting and another may wait again, until one has the result.
    pub(crate) async fn result(&mut self) -> Result<T, StartError> {
        (&mut self.0).await.unwrap_or_else(|error| Err(StartError::Failed(error.to_string())))
    }
}
