"""Any attention kernel on the data of softmax against linear attention: how far each separates."""
